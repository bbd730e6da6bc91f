import { expect, test } from "vitest";
import { letters } from "../testing/project.ts";

const languages = (...args: string[]) => letters().slipway(["criticality", "languages", ...args]);

test("[CRI-100] slipway criticality languages answers what the type system of a language can do", async () => {
  const { code, stdout } = await languages("rust");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Rust \(rust\): full support\n/);
  expect(stdout).toContain(
    "  type system: phantom types full, branded types via newtype, newtype full, const generics full, marker traits full\n",
  );
  expect(stdout).toContain("  witnesses: distinction (tier 2)\n");
});

test("[CRI-186] it names the tools that are missing on this machine, with how to install them", async () => {
  const project = letters();
  const { stdout } = await project.slipway(["criticality", "languages", "python"], { env: { ...project.env, PATH: "/nonexistent" } });
  expect(stdout).toContain("    missing pyright, for type checks of Python; without it and mypy only the syntax is checked: npm install");
  expect(stdout).toMatch(/^ {2}scanner: safety is not installed \(pip install safety\)$/m);
});

test("[CRI-139] [CRI-142] it says which test each type of claim becomes, for every language", async () => {
  interface Facts {
    readonly id: string;
    readonly claims: readonly {
      readonly type: string;
      readonly test: string;
      readonly framework: string;
      readonly missing: string | null;
    }[];
  }
  const [all = []] = (await languages("--json")).json<Facts[]>();
  expect(all.map(({ id }) => id)).toEqual(["typescript", "python", "rust", "go", "java", "cpp"]);
  expect(all[0]?.claims[0]).toEqual({
    type: "invariant",
    test: "property test over arbitrary operations",
    framework: "fast-check",
    missing: null,
  });
  expect(all[2]?.claims.at(-1)).toMatchObject({ test: "benchmark", framework: "criterion", missing: expect.stringContaining("criterion") });
});

test("a language that there is not is refused, with those that there are", async () => {
  const { code, stderr } = await languages("cobol");
  expect([code, stderr]).toEqual([2, expect.stringContaining("typescript, python, rust, go, java, cpp")]);
});
