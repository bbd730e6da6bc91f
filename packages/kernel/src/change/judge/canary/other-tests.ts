import { posix } from "node:path";
import { camel, pascal } from "./names.ts";
import type { TestToWrite, WrittenTest } from "./plant.ts";

export function writeGoTest({ nearText, words, token: [left, right], trace }: TestToWrite): WrittenTest {
  const title = `Test${pascal(words)}`;
  const name = /^package\s+(\w+)/m.exec(nearText)?.[1] ?? "main";
  const constraint = /^\/\/go:build[^\n]*$/m.exec(nearText)?.[0];
  const text = `${constraint === undefined ? "" : `${constraint}\n\n`}package ${name}

import (
	"os"
	"strings"
	"testing"
)

func init() {
	_ = os.WriteFile(${JSON.stringify(trace)}, nil, 0o644)
}

func ${title}(t *testing.T) {
	got := strings.Join([]string{"${left}", "${right}"}, "-")
	if got != "${words.toReversed().join(" ")}" {
		t.Fatalf("unexpected value %s", got)
	}
}
`;
  return { title, text, hasTrace: true };
}

/** A file of `tests/` is a crate of its own. Elsewhere tests are modules inside sources, so that a new file would not be compiled. */
export function writeRustTest({ path, near, nearText, words, token: [left, right] }: TestToWrite): WrittenTest {
  const title = words.join("_");
  const body = (indent: string) =>
    [
      `${indent}#[test]`,
      `${indent}fn ${title}() {`,
      `${indent}    assert_eq!(["${left}", "${right}"].join("-"), "${words.toReversed().join(" ")}");`,
      `${indent}}`,
    ].join("\n");
  const text = path === near ? `${nearText}\n#[cfg(test)]\nmod ${title}_more {\n${body("    ")}\n}\n` : `${body("")}\n`;
  return { title, text, hasTrace: false };
}

export function writeJavaTest({ path, nearText, words, token: [left, right] }: TestToWrite): WrittenTest {
  const title = camel(words);
  const isFive = /\borg\.junit\.jupiter\b/.test(nearText);
  const place = /^package\s+[\w.]+\s*;/m.exec(nearText)?.[0];
  const assertions = isFive ? "org.junit.jupiter.api.Assertions" : "org.junit.Assert";
  const text = [
    ...(place === undefined ? [] : [place, ""]),
    `import static ${assertions}.assertEquals;`,
    "",
    `import ${isFive ? "org.junit.jupiter.api.Test" : "org.junit.Test"};`,
    "",
    `public class ${posix.basename(path, ".java")} {`,
    "    @Test",
    `    public void ${title}() {`,
    `        assertEquals("${words.toReversed().join(" ")}", String.join("-", "${left}", "${right}"));`,
    "    }",
    "}",
    "",
  ].join("\n");
  return { title, text, hasTrace: false };
}
