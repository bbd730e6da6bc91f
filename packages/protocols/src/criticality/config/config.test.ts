import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { modelOfAlias, modelOfTier } from "./models.ts";
import { CONFIG_FILE, parseConfig } from "./config.ts";

const FILE = "slipway/criticality.toml";
const read = (text: string) => parseConfig(text, FILE);
const configOf = (text: string) => read(text).config;

describe("defaults", () => {
  const { config, warnings } = parseConfig(null);

  test("a repository without the file has every default and no warning", () => {
    expect(warnings).toEqual([]);
    expect(configOf("")).toEqual(config);
    expect(CONFIG_FILE).toBe(FILE);
  });

  test("[CRI-124] limits of escalation and breakers", () => {
    expect(config.escalation).toEqual({ syntax_retry_limit: 2, type_retry_limit: 2, test_retry_limit: 3 });
    expect(config.circuit_breaker).toEqual({
      max_attempts_per_function: 8,
      require_opus_attempt: true,
      module_escalation_rate: 0.2,
      phase_failure_rate: 0.1,
    });
  });

  test("[CRI-083] targets of Mass Defect", () => {
    expect(config.mass_defect.targets).toEqual({
      max_cyclomatic_complexity: 10,
      max_function_length_lines: 50,
      max_nesting_depth: 4,
      min_test_coverage: 0.8,
    });
  });

  test("[CRI-183] parallel injections, checkpoints and timeouts", () => {
    expect(config.orchestrator).toEqual({
      max_parallel_injections: 8,
      checkpoint_interval_seconds: 60,
      max_repair_attempts: 5,
      scan_dependencies: false,
      ignition_max_seconds: 3600,
      lattice_max_seconds: 1800,
      injection_per_function_seconds: 60,
      mesoscopic_per_cluster_seconds: 300,
    });
    expect(configOf("[orchestrator.timeouts]\nlattice_max_seconds = 7").orchestrator.lattice_max_seconds).toBe(7);
  });

  test("[CRI-189] the specification's path", () => {
    expect(config.project.spec_path).toBe("spec/spec.toml");
  });
});

const IN_POLICY = `${FILE}: [notifications] has no effect here: write it to slipway/policy.yaml.`;
const EVERYTHING = `
[project]
name = "bank"
language = "rust"
spec_path = "docs/spec.toml"
[models]
architect = "claude-opus-4-5"
auditor = "kimi-k2"
structurer = "claude-sonnet-4-5"
worker = "minimax-m2"
worker_fallback_1 = "claude-sonnet-4-5"
worker_fallback_2 = "claude-opus-4-5"
[models.endpoints]
minimax = { provider = "cerebras", model = "minimax-m2" }
kimi = { provider = "groq", model = "kimi-k2" }
claude = { provider = "anthropic" }
[escalation]
test_retry_limit = 4
[circuit_breaker]
phase_failure_rate = 0.5
[mass_defect.targets]
max_nesting_depth = 3
[notifications]
enabled = true
reminder_schedule = "0 9 * * 1-5"
[[notifications.channels]]
type = "webhook"
endpoint = "https://example.com/webhook"
enabled = true
events = ["block", "complete", "error"]
[orchestrator]
max_parallel_injections = 2
`;

describe("sections", () => {
  test("[CRI-189] all of them are read, and the one warning says that the policy decides about notifications", () => {
    const { config, warnings } = read(EVERYTHING);
    expect(warnings).toEqual([IN_POLICY]);
    expect(config).toMatchObject({
      project: { name: "bank", language: "rust", spec_path: "docs/spec.toml" },
      models: { worker: "minimax-m2", worker_fallback_2: "claude-opus-4-5" },
      escalation: { test_retry_limit: 4 },
      circuit_breaker: { phase_failure_rate: 0.5 },
      mass_defect: { targets: { max_nesting_depth: 3 } },
      notifications: {
        enabled: true,
        reminder_schedule: "0 9 * * 1-5",
        channels: [{ type: "webhook", events: ["block", "complete", "error"] }],
      },
      orchestrator: { max_parallel_injections: 2 },
    });
  });

  test("[CRI-189] unknown keys warn with their path and change nothing else", () => {
    const { config, warnings } = read(`surprise = 1\n${EVERYTHING}\n[escalation2]\na = 1\n[mass_defect]\nextra = { a = 1 }\n`);
    expect(warnings).toEqual([
      `${FILE}: the key mass_defect.extra is unknown and has no effect.`,
      `${FILE}: the key surprise is unknown and has no effect.`,
      `${FILE}: the key escalation2 is unknown and has no effect.`,
      IN_POLICY,
    ]);
    expect(config).toEqual(configOf(EVERYTHING));
  });

  test.each([
    ['[circuit_breaker]\nphase_failure_rate = "high"', "circuit_breaker.phase_failure_rate"],
    ["[circuit_breaker]\nphase_failure_rate = 1.5", "circuit_breaker.phase_failure_rate"],
    ["[escalation]\ntest_retry_limit = 2.5", "escalation.test_retry_limit"],
    ["[orchestrator]\nmax_parallel_injections = 0", "orchestrator.max_parallel_injections"],
    ["[orchestrator.timeouts]\nlattice_max_seconds = true", "orchestrator.timeouts.lattice_max_seconds"],
    ["[project]\nname = 7", "project.name"],
    ['[project]\nlanguage = "cobol"', "project.language"],
    ["models = []", "models"],
    ["[models]\nworker = 1", "models.worker"],
    ["[models.endpoints]\nkimi = { model = 1 }", "models.endpoints.kimi"],
    ["mass_defect = 1", "mass_defect"],
    ["[mass_defect]\nmax_function_length = 1\ntargets = 1", "mass_defect.targets"],
    ['[notifications]\nreminder_schedule = "daily"', "notifications.reminder_schedule"],
    ['[[notifications.channels]]\ntype = "email"\nendpoint = "https://example.com"\nevents = []', "notifications.channels.0.type"],
    [
      '[[notifications.channels]]\ntype = "webhook"\nendpoint = "file:///etc/passwd"\nevents = ["block"]',
      "notifications.channels.0.endpoint",
    ],
  ])("[CRI-189] %j fails with the key path and the file", (text, field) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: "config_invalid",
        message: expect.stringContaining(`  ${field}: `),
        details: expect.objectContaining({ file: FILE, field }),
      }),
    );
  });

  test("[CRI-184] exactly one target language", () => {
    expect(() => read('[project]\nlanguage = ["rust", "go"]')).toThrow("project.language: a project has exactly one target language.");
    expect(() => read('[project]\nlanguages = ["rust"]')).toThrow("project.languages: a project has exactly one target language.");
    expect(() => read("project = 1")).toThrow(expect.objectContaining({ code: "config_invalid" }));
  });

  test("[CRI-145] a model whose context is too small for its role is refused", () => {
    expect(configOf("[models.context]\nauditor = 50000").models.context.auditor).toBe(50_000);
    expect(() => read("[models.context]\nauditor = 49999")).toThrow(`${FILE}, models.auditor: its context of 49999 tokens is too small`);
  });
});

describe("earlier keys", () => {
  test("[CRI-062] function_failure_threshold is max_attempts_per_function, with a warning", () => {
    const { config, warnings } = read("[circuit_breaker]\nfunction_failure_threshold = 5");
    expect(config.circuit_breaker.max_attempts_per_function).toBe(5);
    expect(warnings).toEqual([
      `${FILE}: circuit_breaker.function_failure_threshold is deprecated: write circuit_breaker.max_attempts_per_function.`,
    ]);
  });

  test("[CRI-083] max_function_length and target_coverage are targets", () => {
    const { config, warnings } = read("[mass_defect]\nmax_cyclomatic_complexity = 9\nmax_function_length = 40\ntarget_coverage = 0.9");
    expect(config.mass_defect.targets).toMatchObject({
      max_cyclomatic_complexity: 9,
      max_function_length_lines: 40,
      min_test_coverage: 0.9,
    });
    expect(warnings).toHaveLength(3);
  });

  test("a new key wins over an earlier one", () => {
    const { config } = read("[circuit_breaker]\nfunction_failure_threshold = 5\nmax_attempts_per_function = 6");
    expect(config.circuit_breaker.max_attempts_per_function).toBe(6);
  });

  test("keys without effect say so", () => {
    const { warnings } = read('[orchestrator]\nstate_persistence_path = "x"\n[orchestrator.notifications]\nchannels = ["cli"]');
    expect(warnings).toEqual([
      `${FILE}: orchestrator.state_persistence_path has no effect: the state is in the run's folder.`,
      `${FILE}: orchestrator.notifications has no effect: use [notifications].`,
    ]);
  });
});

describe("hostile files", () => {
  test("what is not TOML is refused with its line", () => {
    expect(() => read("[project]\nname = ")).toThrow(
      expect.objectContaining({ code: "config_invalid", details: expect.objectContaining({ line: 2 }) }),
    );
  });

  test("a key like __proto__ changes nothing", () => {
    expect(configOf('["__proto__"]\nescalation = 1\n').escalation.test_retry_limit).toBe(3);
    expect(configOf("[mass_defect]\n__proto__ = { targets = 1 }").mass_defect.targets.max_nesting_depth).toBe(4);
  });

  test("any text is read or refused with config_invalid", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^(\[[a-z_.]{1,12}\]\n[a-z_]{1,6} = [0-9"'{}[\]]{0,4}\n){0,3}$/)),
        (text) => {
          try {
            read(text);
          } catch (error) {
            expect(error).toMatchObject({ code: "config_invalid" });
          }
        },
      ),
    );
  });
});

describe("models", () => {
  test("[CRI-150] without configuration: Claude through claude-code, the others through OpenRouter", () => {
    const { config } = parseConfig(null);
    expect(modelOfAlias(config, "architect_model")).toEqual({ router: "claude-code", model: "claude-opus-4-5", endpoint: null });
    expect(modelOfAlias(config, "structurer_model")).toEqual({ router: "claude-code", model: "claude-sonnet-4-5", endpoint: null });
    expect(modelOfAlias(config, "auditor_model")).toEqual({ router: "opencode", model: "kimi-k2", endpoint: "openrouter" });
    expect(modelOfAlias(config, "worker_model")).toEqual({ router: "opencode", model: "minimax-m2", endpoint: "openrouter" });
  });

  test("[CRI-150] an endpoint takes its family over, as a table or a name", () => {
    const config = configOf('[models.endpoints]\nminimax = { provider = "cerebras", model = "minimax-m2-fast" }\nkimi = "groq"');
    expect(modelOfAlias(config, "worker_model")).toEqual({ router: "opencode", model: "minimax-m2-fast", endpoint: "cerebras" });
    expect(modelOfAlias(config, "auditor_model")).toEqual({ router: "opencode", model: "kimi-k2", endpoint: "groq" });
  });

  test("[CRI-143] the configuration names the model of an alias", () => {
    const config = configOf('[models]\narchitect = "vendor/qwen-max"\nworker = "claude-haiku"');
    expect(modelOfAlias(config, "architect_model")).toEqual({ router: "opencode", model: "vendor/qwen-max", endpoint: "openrouter" });
    expect(modelOfAlias(config, "worker_model")).toEqual({ router: "claude-code", model: "claude-haiku", endpoint: null });
  });

  test("[CRI-061] tiers have the models of their aliases, unless a fallback key names another", () => {
    const models = (text: string | null) => {
      const { config } = parseConfig(text, FILE);
      return (["worker", "fallback1", "fallback2"] as const).map((tier) => modelOfTier(config, tier).model);
    };
    expect(models(null)).toEqual(["minimax-m2", "claude-sonnet-4-5", "claude-opus-4-5"]);
    expect(models('[models]\nstructurer = "a"\narchitect = "b"')).toEqual(["minimax-m2", "a", "b"]);
    expect(models('[models]\nstructurer = "a"\nworker_fallback_1 = "c"\nworker_fallback_2 = "d"')).toEqual(["minimax-m2", "c", "d"]);
  });

  test("[CRI-061] fallback_model is the model of the first fallback tier", () => {
    const config = configOf('[models]\nworker_fallback_1 = "c"');
    expect(modelOfAlias(config, "fallback_model")).toEqual(modelOfTier(config, "fallback1"));
  });
});
