import { expect, test } from "vitest";
import { protocolNamed, protocolOf, toolServerNamed } from "./protocols.ts";

test("a protocol is found by its name and by the workflow of a run", () => {
  expect(protocolNamed("criticality").name).toBe("criticality");
  expect(protocolOf("criticality").name).toBe("criticality");
  expect(toolServerNamed("criticality-artifact-server").name).toBe("criticality-artifact-server");
});

test("an unknown name is refused with those that exist, or with the one that was meant", () => {
  const actions = (name: string) => {
    try {
      return protocolNamed(name);
    } catch (error) {
      return (error as { readonly details: { readonly suggested_next_actions: readonly string[] } }).details.suggested_next_actions[0];
    }
  };
  expect(actions("critcality")).toBe("Did you mean criticality?");
  expect(actions("xyzzy-quux-42")).toMatch(/^Name one of features, factory, criticality/);
  expect(() => protocolOf("gone")).toThrow('no protocol with the workflow "gone"');
  expect(() => toolServerNamed("gone")).toThrow('There is no MCP server "gone"');
});
