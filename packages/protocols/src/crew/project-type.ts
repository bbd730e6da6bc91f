import { parseStrictJson } from "@slipway/kernel/schema/json";
import type { ProjectType } from "./contract/names.ts";

/** The files that say what kind of project it is. */
export const PROJECT_FILES = [
  "package.json",
  "index.html",
  "public/index.html",
  "src/index.html",
  "pyproject.toml",
  "requirements.txt",
  "Cargo.toml",
  "go.mod",
] as const;

const UI = ["react", "vue", "svelte", "@angular/core", "preact", "solid-js", "next", "nuxt", "astro", "@remix-run/react", "vite"];
const SERVERS = ["express", "fastify", "koa", "@nestjs/core", "hono", "@hapi/hapi", "restify"];
const PYTHON_SERVERS = /\b(?:fastapi|flask|django|starlette|aiohttp|tornado|sanic|bottle)\b/i;

export interface DerivedType {
  readonly type: ProjectType;
  readonly because: string;
}

/** `files` are those of PROJECT_FILES that exist, with their texts. Nothing is guessed: what no rule knows is mixed. */
export function projectTypeOf(files: Readonly<Record<string, string>>): DerivedType {
  const page = PROJECT_FILES.find((path) => path.endsWith(".html") && files[path] !== undefined);
  const manifest = manifestIn(files["package.json"]);
  const ui = UI.find((name) => manifest.dependencies.has(name));
  const server = SERVERS.find((name) => manifest.dependencies.has(name));
  const python = PYTHON_SERVERS.exec(`${files["pyproject.toml"] ?? ""}\n${files["requirements.txt"] ?? ""}`)?.[0];
  const found: readonly (DerivedType | null)[] = [
    ui === undefined && page === undefined ? null : { type: "web", because: ui === undefined ? `${page} exists` : `it depends on ${ui}` },
    server === undefined && python === undefined ? null : { type: "api", because: `it depends on ${server ?? python}` },
  ];
  const [first, second] = found.filter((one) => one !== null);
  if (first !== undefined && second !== undefined) return { type: "mixed", because: `${first.because}, and ${second.because}` };
  if (first !== undefined) return first;
  return plainType(manifest, files);
}

function plainType({ hasBin, hasEntry }: Manifest, files: Readonly<Record<string, string>>): DerivedType {
  const toml = `${files["pyproject.toml"] ?? ""}\n${files["Cargo.toml"] ?? ""}`;
  if (hasBin) return { type: "cli", because: "package.json names a program (bin)" };
  if (/^\[project\.scripts\]|^\[tool\.poetry\.scripts\]|^\[\[bin\]\]/m.test(toml))
    return { type: "cli", because: "its manifest names a program" };
  if (hasEntry) return { type: "lib", because: "package.json names an entry (main or exports)" };
  if (/^\[lib\]/m.test(toml)) return { type: "lib", because: "its manifest names a library" };
  return { type: "mixed", because: "nothing says otherwise" };
}

interface Manifest {
  readonly dependencies: ReadonlySet<string>;
  readonly hasBin: boolean;
  readonly hasEntry: boolean;
}

function manifestIn(text: string | undefined): Manifest {
  const json = parseStrictJson(text ?? "");
  const value = json.ok && typeof json.value === "object" && json.value !== null ? (json.value as Readonly<Record<string, unknown>>) : {};
  const names = ["dependencies", "devDependencies", "peerDependencies"].flatMap((key) =>
    Object.keys((value[key] as object | undefined) ?? {}),
  );
  return {
    dependencies: new Set(names),
    hasBin: value["bin"] !== undefined,
    hasEntry: value["main"] !== undefined || value["exports"] !== undefined,
  };
}
