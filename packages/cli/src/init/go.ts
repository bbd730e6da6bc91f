import type { Finding, FoundStep } from "./finding.ts";
import { at, below, has, type Place } from "./place.ts";

const HOME = ["go/pkg/mod", "sdk"];

export function detectGo(place: Place): Finding | null {
  if (!has(place, "go.mod")) return null;
  const vendored = has(place, "vendor/modules.txt");
  const env = {
    GOCACHE: "/tmp/go-cache",
    GOTOOLCHAIN: "local",
    GOPROXY: "off",
    ...(!vendored && place.machine.home("go/pkg/mod") ? { GOMODCACHE: "~/go/pkg/mod" } : {}),
  };
  const because = `${at(place, "go.mod")} is a Go module${vendored ? " with its dependencies in vendor/" : ""}`;
  const step = (kind: FoundStep["kind"], verb: string): FoundStep => ({ kind, cmd: ["go", verb, "./..."], env, why: `${because}.` });
  const tested = below(place).some((path) => path.endsWith("_test.go"));
  return {
    steps: [step("compile", "vet"), ...(tested ? [step("test", "test")] : [])],
    commands: ["go"],
    home: vendored ? HOME.slice(1) : HOME,
    notes: tested ? [] : [`${at(place, "go.mod")} has no *_test.go file, so \`go test\` would test nothing and was left out.`],
  };
}
