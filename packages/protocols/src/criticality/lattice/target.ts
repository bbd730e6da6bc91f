import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";

/** Files that make a folder a project of the language, where the repository has none of its own. */
export function projectTemplate({ id }: Pick<LanguageAdapter, "id">, name: string): SourceTree {
  return TEMPLATES[id]?.(name) ?? {};
}

const TEMPLATES: Partial<Record<LanguageAdapter["id"], (name: string) => SourceTree>> = {
  typescript: (name) => ({
    "package.json": `${JSON.stringify(
      {
        name,
        version: "0.1.0",
        private: true,
        type: "module",
        engines: { node: ">=22.18" },
        scripts: { test: "node --test 'tests/**/*.test.ts'", typecheck: "tsc --noEmit" },
        devDependencies: { "@types/node": "^24.0.0", "fast-check": "^4.0.0", typescript: "^7.0.0" },
      },
      null,
      2,
    )}\n`,
    "tsconfig.json": `${JSON.stringify(
      {
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: "nodenext",
          target: "es2024",
          types: ["node"],
          allowImportingTsExtensions: true,
          erasableSyntaxOnly: true,
          skipLibCheck: true,
        },
        include: ["src", "tests"],
      },
      null,
      2,
    )}\n`,
  }),
  python: (name) => ({
    "pyproject.toml": `[project]\nname = ${JSON.stringify(name)}\nversion = "0.1.0"\nrequires-python = ">=3.11"\n\n[dependency-groups]\ndev = ["hypothesis", "pytest"]\n\n[tool.pyright]\ninclude = ["src"]\nextraPaths = ["src"]\ntypeCheckingMode = "standard"\n\n[tool.pytest.ini_options]\npythonpath = ["src"]\ntestpaths = ["tests"]\n`,
  }),
};

const STYLE: Readonly<Record<LanguageAdapter["id"], string>> = {
  typescript:
    "ESM with explicit .ts extensions in relative imports; only erasable syntax (no enum, no namespace, no parameter properties); every function has an explicit return type; contracts stand in a JSDoc comment directly above the function; predicates are TypeScript expressions over the parameters, `result` and `old(expr)`.",
  python:
    "Python 3.11 with type annotations for every parameter and result; src is the root of imports, as in `from domain.account import Account` and `from witnesses.amount import Amount`; fields of a class are annotated in the class; contracts stand in the function's docstring; predicates are Python expressions over the parameters, `result` and `old(expr)`.",
  rust: "Rust 2021; contracts stand in /// comments; predicates are Rust expressions over the parameters, `result` and `old(expr)`.",
  go: "Go 1.22 or newer; contracts stand in // comments above the function; predicates are Go expressions over the parameters, `result` and `old(expr)`.",
  java: "Java 17; contracts stand in Javadoc comments; predicates are Java expressions over the parameters, `result` and `old(expr)`.",
  cpp: "C++20; contracts stand in /// comments; predicates are C++ expressions over the parameters, `result` and `old(expr)`.",
};

/** How a skeleton is written in the language, as a prompt says it. */
export function targetText({ id, title, hole, extension }: Pick<LanguageAdapter, "id" | "title" | "hole" | "extension">): string {
  return [
    `Language: ${title}`,
    `Data types and the functions on them: src/domain/*${extension}. Interfaces of the system: src/services/*${extension}.`,
    `The body of every function is exactly: ${hole}`,
    STYLE[id],
    "A body cannot import: each file imports the functions that its functions call and the constructors that they need.",
  ].join("\n");
}
