import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { layoutAt } from "@slipway/kernel/host/layout";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { letters, patchOf } from "slipway/testing/project";
import { expect, test } from "vitest";

const SECRET = "hunter2-but-longer/and+odd";

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("[FEA-140] a gate that prints a secret, fails with it and is repaired leaves no copy of it in any file of Slipway", async () => {
  const project = letters({
    "check.sh": 'echo "token is $DEPLOY_TOKEN"\nif grep -rn BUG src; then echo "failed for $DEPLOY_TOKEN" >&2; exit 1; fi\n',
    "slipway/policy.yaml": `${POLICY}execution: { env_allowlist: [PATH, DEPLOY_TOKEN] }\n`,
  });
  project.record("builder", "1", patchOf("src/a.txt", "one", "BUG"));
  project.record("builder", "2", patchOf("src/a.txt", "BUG", "two"));

  const { code, stdout } = await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette, "--json"], {
    env: { ...project.env, DEPLOY_TOKEN: SECRET },
  });

  expect(code).toBe(23);
  expect(stdout).not.toContain(SECRET);
  const { state, truth } = layoutAt(project.root);
  const files = [state, truth].flatMap(filesBelow);
  const logs = files.filter((file) => file.includes("logs")).map((file) => readFileSync(file, "utf8"));
  // The gate really printed it: the log has the redaction.
  expect(logs.filter((log) => /token is \S*redacted/i.test(log)).length).toBeGreaterThan(1);
  const forms = [SECRET, Buffer.from(SECRET).toString("base64"), encodeURIComponent(SECRET)];
  const copies = files.filter((file) => {
    const bytes = readFileSync(file);
    return forms.some((form) => bytes.includes(form));
  });
  expect(copies).toEqual([]);
});
