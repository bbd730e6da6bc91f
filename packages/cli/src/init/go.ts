import type { InitFinding, FoundStep } from "./finding.ts";
import { at, below, has, type InitTarget } from "./target.ts";

export function detectGo(place: InitTarget): InitFinding | null {
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
    steps: [step("compile", "vet"), step("test", "test")],
    commands: ["go"],
    home: vendored ? [] : ["go/pkg/mod"],
    notes: tested ? [] : [`${at(place, "go.mod")} has no *_test.go file yet, so \`go test\` passes without testing anything.`],
  };
}
