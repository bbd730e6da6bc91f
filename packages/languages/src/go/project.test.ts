import { expect, test } from "vitest";
import { withUsedImports } from "./project.ts";

const file = (imports: string, body: string) => `package a\n\nimport (\n${imports})\n\nfunc f() string { ${body} }\n`;

test("an import that only a hole could use becomes blank, so that the skeleton compiles", () => {
  const text = file('\t"fmt"\n\tm "math"\n\t"math/rand/v2"\n\t"gopkg.in/yaml.v3"\n\t_ "embed"\n', 'panic("hole")');
  expect(withUsedImports(text)).toBe(
    file('\t_ "fmt"\n\t_ "math"\n\t_ "math/rand/v2"\n\t_ "gopkg.in/yaml.v3"\n\t_ "embed"\n', 'panic("hole")'),
  );
});

test("an import that is used, in code or in a type, stays", () => {
  const text =
    'package a\n\nimport (\n\t"time"\n\tm "math"\n\t"math/rand/v2"\n)\n\nvar x = m.Pi + rand.Float64()\n\nfunc f(t time.Time) { panic("hole") }\n';
  expect(withUsedImports(text)).toBe(text);
});

test("a file without holes is left to the compiler, and so is one that does not parse", () => {
  const done = file('\t"fmt"\n', 'return "x"');
  expect(withUsedImports(done)).toBe(done);
  expect(withUsedImports('package a\nimport "fmt"\nfunc f( {')).toBe('package a\nimport "fmt"\nfunc f( {');
});
