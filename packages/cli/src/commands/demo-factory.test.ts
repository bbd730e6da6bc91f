import { join } from "node:path";
import type { Outcome } from "@slipway/durable/outcome";
import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import { afterEach, describe, expect, test, vi } from "vitest";
import { scratchFolder } from "../init/testing/scratch.ts";
import { openSession } from "@slipway/runtime/session";
import { slipway } from "../testing/project.ts";

vi.mock("@slipway/kernel/host/sandbox/probe", { spy: true });
vi.mock("@slipway/runtime/session", { spy: true });
afterEach(() => void vi.resetAllMocks());

function place() {
  const home = scratchFolder();
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  return { folder: join(home, "demo"), demo: (...argv: readonly string[]) => slipway(["demo", "factory", ...argv], home, { env }) };
}

/** Sessions whose runs end at once with this outcome. */
function ending(outcome: object): void {
  vi.mocked(openSession).mockImplementation(async (options) => {
    const { openSession: really } = await vi.importActual<typeof import("@slipway/runtime/session")>("@slipway/runtime/session");
    return { ...(await really(options)), drive: async () => outcome as Outcome };
  });
}

describe("slipway demo factory", () => {
  test("text output shows the page, the events, each question with the demo's answer, the result and the next commands", async () => {
    const { folder, demo } = place();
    const { code, stdout } = await demo("--keep", "demo", "--edit");
    expect(code).toBe(0);
    for (const line of [
      `A scratch repository is at ${folder}\nIts page of intent, SPEC.md:\n\n  # Opening hours\n`,
      "- product: the draft has 1 fault, such as TSK-001 has only 1 acceptance criterion; at least 2 must be there.\n",
      "A person is asked: Build Opening hours from this spec?\n  # Opening hours\n  ## Pillar PIL-001: Hours\n",
      "  The demo answers APPROVE\n",
      '- MM-parse_time: objection upheld: "a time with one digit each is refused" was run and fails: Missing expected exception (BadTimeError): 9:5 is read\n',
      '- MM-format_time: objection refuted: "65 minutes are 01:05" was run and passes\n',
      "- MM-parse_days: amendments applied and checked\n",
      "  The demo answers APPROVE_CHANGE\n    rationale: Shops are open until midnight",
      "- MM-parse_time@1.0.0: superseded by the new version\n",
      "x MM-is_open: round 3: no agreement: a person has to decide\n",
      "  The demo answers AMEND_SPEC\n    amended_acceptance_criteria:\n      - returns true from the opening time",
      "+ MM-format_time: reused from the code index: MM-format_time@1.0.0\n",
      "The release is ready to merge. This is what a person would look at",
      "Now one sentence of SPEC.md is edited:\n  - what overlaps is joined.\n",
      "- product: 1 built again, 3 to be rechecked, 3 kept\n",
      "+ MM-parse_hours@1.0.0: kept: its tests pass with the new versions\n",
      "has 7 modules\n  MM-parse_time@1.1.0    5 tests passed when it was sealed\n",
      "What happened on the way\n  MM-parse_time@1.0.0 failed its first challenge and was revised",
      "After the edit\n  built again: T-hours-week-rules-001\n",
      `cd ${join(folder, "modules")} && `,
    ]) {
      expect(stdout).toContain(line);
    }
    expect(stdout).toMatch(/^… \(\d+ more lines\)$/m);
  }, 180_000);

  test("a question without an answer: exit 3, with the question and where to look", async () => {
    ending({ status: "waiting", question: "" });
    const { folder, demo } = place();
    const { code, stderr } = await demo("--keep", "demo");
    expect(code).toBe(3);
    expect(stderr).toContain("gate_failed: The demo has no answer to this: nothing is asked\n");
    expect(stderr).toContain(`  next: Inspect ${folder} with `);
  });

  test("without a sandbox it says so, and a run without a release is reported as a failure", async () => {
    vi.mocked(probeSandbox).mockResolvedValue({ available: false, version: null, probes: [], host: null, layers: false, missing: [] });
    ending({ status: "failed", failure: { code: "io_error", message: "no", details: {} } });
    const { demo } = place();
    const { code, stdout } = await demo("--keep", "demo");
    expect(code).toBe(3);
    expect(stdout).toContain("This machine offers no sandbox");
    expect(stdout).toContain("Nothing was released\n\njournal ");
    const again = await place().demo("--keep", "demo", "--json");
    expect(again.json().at(-1)).toMatchObject({ status: "failed", modules: [], release: null, commands: [], tasks: null });
  });

  test("--record is refused, because a program writes its answers", async () => {
    const { code, stderr } = await place().demo("--record", "cassette");
    expect(code).toBe(2);
    expect(stderr).toContain("  next: Write them again with `npm run record:demo-factory`");
  });
});
