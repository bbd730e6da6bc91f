import { areaMatcher, type AreaMatcher } from "@slipway/kernel/paths/areas";

const TESTS = [
  "**/*.{test,spec}.*",
  "**/{test,tests,__tests__,spec,e2e}/**",
  "**/test_*.py",
  "**/*_test.*",
  "**/conftest.py",
  "**/*Test.java",
  "**/__snapshots__/**",
];

/** README, changelog and release notes. */
const DOCS = [
  "README.md",
  "CHANGELOG.md",
  "CHANGES.md",
  "HISTORY.md",
  "RELEASE_NOTES.md",
  "RELEASE-NOTES.md",
  "{docs,doc}/releases/**",
  "{docs,doc}/{release-notes,release_notes,changelog}*.md",
  "{release-notes,release_notes}/**",
];

/** Build, configuration, script and release files. */
const BUILD = [
  "**/{package.json,package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,pnpm-workspace.yaml,bun.lock,nx.json,turbo.json,lerna.json}",
  "**/{Makefile,GNUmakefile,justfile,Taskfile.yml,CMakeLists.txt,meson.build,BUILD,BUILD.bazel,WORKSPACE,Rakefile,Gemfile,Gemfile.lock}",
  "**/{Dockerfile,Containerfile,compose.yaml,compose.yml,docker-compose.yaml,docker-compose.yml,Procfile,Jenkinsfile,VERSION}",
  "**/{pyproject.toml,setup.py,setup.cfg,tox.ini,pytest.ini,poetry.lock,uv.lock,Pipfile,Pipfile.lock,noxfile.py}",
  "**/{Cargo.toml,Cargo.lock,rust-toolchain,rust-toolchain.toml,go.mod,go.sum,go.work,build.zig,mix.exs,mix.lock}",
  "**/{pom.xml,build.gradle,build.gradle.kts,settings.gradle,settings.gradle.kts,gradle.properties,gradlew,composer.json,composer.lock}",
  "**/*.config.{js,cjs,mjs,ts,cts,mts,json}",
  "**/tsconfig*.json",
  "**/*requirements*.txt",
  "**/*.{csproj,sln,props,targets,gemspec,podspec}",
  "**/.{editorconfig,nvmrc,node-version,python-version,tool-versions,npmrc,dockerignore,gitignore,gitattributes,browserslistrc}",
  "**/.{eslintrc,prettierrc,stylelintrc,babelrc,swcrc,mocharc,nycrc,oxlintrc}*",
  "**/.{eslintignore,prettierignore}",
  "{.github,.gitlab,.circleci,.buildkite,.azure}/**",
  "{.gitlab-ci.yml,.travis.yml,azure-pipelines.yml,.goreleaser.yml,.goreleaser.yaml,.releaserc,.releaserc.json}",
  "**/{script,scripts,bin,tools,build,ci,.ci,docker,release}/**/*.{sh,bash,ps1,bat,cmd}",
  "{script,scripts,ci,.ci,docker,release}/**",
];

/** Code that people run. A text or a picture is none. */
const TEXTS = ["**/*.{md,mdx,txt,rst,adoc}", "**/{LICENSE,NOTICE,AUTHORS,CODEOWNERS}", "**/*.{png,jpg,jpeg,gif,svg,ico,webp,pdf}"];

const kind = (areas: readonly string[]) => {
  let matcher: AreaMatcher | null = null;
  return (path: string): boolean => (matcher ??= areaMatcher(areas, "glob"))(path) !== null;
};

export const isTestFile = kind(TESTS);
export const isDocsFile = kind(DOCS);
const looksLikeBuildFile = kind(BUILD);
const isText = kind(TEXTS);

export function isBuildFile(path: string): boolean {
  return looksLikeBuildFile(path) && !isTestFile(path);
}

/** Whether a change of this file can change what the product does. */
export function isProductFile(path: string): boolean {
  return !isTestFile(path) && !isBuildFile(path) && !isText(path);
}

const USER_INTERFACE = [
  "**/*.{html,htm,hbs,ejs,pug,jinja,j2,twig,erb,haml,blade.php,vue,svelte,astro,jsx,tsx,css,scss,sass,less,cshtml,razor}",
  "**/{template,templates,views,layouts,pages,screens,components}/**",
];
const DATA_ACCESS = ["**/*.sql", "**/{migrations,migration,repositories,repository,models,model,dao,entities,db,database,store,stores}/**"];
const ENDPOINT = [
  "**/{routes,route,controllers,controller,handlers,handler,api,endpoints,endpoint,middleware}/**",
  "**/*{route,controller,handler,endpoint}*.*",
];

export const isInterfaceFile = kind(USER_INTERFACE);
export const isDataFile = kind(DATA_ACCESS);
export const isEndpointFile = kind(ENDPOINT);

const SENSITIVE = [
  "**/*{auth,login,session,password,credential,token,permission,acl,oauth,jwt,crypto,secret}*",
  "**/*{auth,login,session,password,credential,token,permission,acl,oauth,jwt,crypto,secret}*/**",
  "**/*{input,form,upload,parser,validat,sanitiz,request,query}*",
  "**/*{input,form,upload,parser,validat,sanitiz,request,query}*/**",
  "**/*{http,network,socket,fetch,client,server,proxy,webhook,cors,url}*",
  "**/*{http,network,socket,fetch,client,server,proxy,webhook,cors,url}*/**",
];
const looksSensitive = kind(SENSITIVE);

/** Whether the name says that the file is about authentication, input or the network. What a file contains is judged by `touchesSecurity`. */
export function isSensitiveFile(path: string): boolean {
  const folded = path.toLowerCase();
  return isProductFile(path) && (isEndpointFile(folded) || looksSensitive(folded));
}
