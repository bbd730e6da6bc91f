import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("testing/"),
);

/** The rooms of the agents' package in which models, clients and their answers are called. */
const PROVIDERS = /@slipway\/agents\/(?:api|clients|acp|custom|command|replay|select|process|routing|manual)\b/;

test("[CRW-003] no module of the protocol imports a model provider", () => {
  expect(sources.length).toBeGreaterThan(50);
  const importing = sources.filter((path) => {
    const imports = readFileSync(join(import.meta.dirname, path), "utf8").match(/(?:from|import\() ?"[^"]+"/g) ?? [];
    return imports.some((line) => PROVIDERS.test(line) || /"(?:openai|@anthropic|@google)/.test(line));
  });
  expect(importing).toEqual([]);
});
