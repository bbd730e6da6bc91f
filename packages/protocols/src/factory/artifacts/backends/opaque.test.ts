import { beforeEach, describe, expect, test } from "vitest";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { refusalOf, textOf, treeYard } from "@slipway/kernel/host/file-views/testing/yard";
import { stateStoreTree } from "./state-store.ts";

const DELIVERED = "artifacts/core/PROP-00000001/1.0.0";
let tree: FileTree;
beforeEach(async () => {
  const yard = await treeYard({
    [`${DELIVERED}/envelope.json`]: "{}\n",
    [`${DELIVERED}/body/contract.json`]: "needle\n",
    [`${DELIVERED}/body/implementation/send.ts`]: "needle hidden\n",
    [`${DELIVERED}/body/tests/send.test.ts`]: "needle hidden\n",
    [`${DELIVERED}/notes/tests/said.md`]: "needle\n",
  });
  tree = stateStoreTree({ ...yard, isArtifactShipped: () => false });
});

describe("the source in an artifact that was delivered in a round", () => {
  const sealed = [
    `${DELIVERED}/body/implementation/send.ts`,
    `${DELIVERED}/body/tests/send.test.ts`,
    `${DELIVERED}/Body/Implementation/send.ts`,
    `./${DELIVERED}//body/./tests/send.test.ts`,
  ];

  test.each(sealed)("is not read, written or removed as %s", async (asked) => {
    expect(textOf(await tree.read(asked))).toBe(accessDenied(asked));
    expect((await refusalOf(() => tree.write(asked, Buffer.from("x")))).code).toBe("policy_violation");
    expect((await refusalOf(() => tree.remove(asked))).code).toBe("policy_violation");
  });

  test("is in no listing and no search, while everything beside it is", async () => {
    expect((await tree.ls(`${DELIVERED}/body`)).map(({ path }) => path)).toEqual([`${DELIVERED}/body/contract.json`]);
    expect(await tree.ls(`${DELIVERED}/body/implementation`)).toEqual([]);
    const readable = [`${DELIVERED}/body/contract.json`, `${DELIVERED}/notes/tests/said.md`];
    expect((await tree.grep("needle")).map(({ path }) => path).toSorted()).toEqual(readable);
    expect((await tree.glob("**/{body,notes}/**")).toSorted()).toEqual(readable);
    expect(textOf(await tree.read(readable[0] ?? ""))).toBe("needle\n");
  });
});
