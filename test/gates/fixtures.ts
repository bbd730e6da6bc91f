import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A tiny repository of one kind. Only its files differ between kinds, including slipway/gates.yaml. */
export interface Fixture {
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
  /** The file that a feature changes, and the line that it breaks. */
  readonly source: string;
  readonly right: string;
  readonly wrong: string;
  /** Text in the log of the gate that catches it. */
  readonly caught: string;
  /** The counts in the report of the full gate; null if the tool writes none. */
  readonly tests: number | null;
  /** Parts of the home folder that the toolchain needs. */
  readonly home?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Requirements of the machine besides the program. */
  readonly needs?: readonly string[];
}

const inHome = (...parts: string[]) => join(homedir(), ...parts);
const maven = (...parts: string[]) => inHome(".m2", "repository", ...parts);
const plugin = (name: string, version: string) => maven("org/apache/maven/plugins", name, version, `${name}-${version}.jar`);

export const FIXTURES: Readonly<Record<string, Fixture>> = {
  node: {
    program: "node",
    source: "src/sum.js",
    right: "export const sum = (a, b) => a + b;",
    wrong: "export const sum = (a, b) => a - b;",
    caught: "0 !== 2",
    tests: 2,
    files: {
      "package.json": '{ "name": "sum", "type": "module", "private": true }\n',
      "src/sum.js": "export const sum = (a, b) => a + b;\n",
      "src/sum.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { sum } from "./sum.js";

test("one and one", () => assert.equal(sum(1, 1), 2));
test("nothing", () => assert.equal(sum(0, 0), 0));
`,
      "slipway/gates.yaml": `version: 1
profiles:
  default:
    modes:
      fast: [{ name: syntax, cmd: [node, --check, src/sum.js] }]
      full:
        - name: test
          cmd: [node, --test, --test-reporter=spec, --test-reporter-destination=stdout, --test-reporter=junit, --test-reporter-destination=junit.xml]
parsers: { tests: { type: junit_xml, path: junit.xml, modes: [full] } }
`,
    },
  },
  python: {
    program: "python3",
    source: "total.py",
    right: "    return sum(numbers)",
    wrong: "    return len(numbers)",
    caught: "AssertionError: 2 != 3",
    tests: null,
    files: {
      "total.py": "def total(numbers):\n    return sum(numbers)\n",
      "test_total.py": `import unittest
from total import total


class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
`,
      "slipway/gates.yaml": `version: 1
profiles:
  default:
    modes:
      fast: [{ name: compile, cmd: [python3, -m, py_compile, total.py], env: { PYTHONPYCACHEPREFIX: /tmp/cache } }]
      full: [{ name: test, cmd: [python3, -B, -m, unittest, discover, --verbose] }]
`,
    },
  },
  rust: {
    program: "cargo",
    source: "src/lib.rs",
    right: "    a + b",
    wrong: "    a - b",
    caught: "test result: FAILED",
    tests: null,
    home: [".cargo/bin", ".rustup"],
    env: { RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? inHome(".rustup") },
    files: {
      ".gitignore": "target/\n",
      "Cargo.toml": '[package]\nname = "sum"\nversion = "0.1.0"\nedition = "2021"\n',
      "Cargo.lock": 'version = 3\n\n[[package]]\nname = "sum"\nversion = "0.1.0"\n',
      "src/lib.rs": `pub fn sum(a: i32, b: i32) -> i32 {
    a + b
}

#[test]
fn one_and_one() {
    assert_eq!(sum(1, 1), 2);
}
`,
      "slipway/gates.yaml": `version: 1
profiles:
  default:
    modes:
      fast: [{ name: check, cmd: [cargo, check, --offline, --locked], env: { CARGO_HOME: /tmp/cargo } }]
      full: [{ name: test, cmd: [cargo, test, --offline, --locked], env: { CARGO_HOME: /tmp/cargo } }]
`,
    },
  },
  java: {
    program: "javac",
    source: "src/Sum.java",
    right: "    return a + b;",
    wrong: "    return a - b;",
    caught: "expected 2, found 0",
    tests: null,
    files: {
      ".gitignore": "out/\n",
      "src/Sum.java": "class Sum {\n  static int sum(int a, int b) {\n    return a + b;\n  }\n}\n",
      "src/SumCheck.java": `class SumCheck {
  public static void main(String[] arguments) {
    int found = Sum.sum(1, 1);
    if (found != 2) throw new AssertionError("expected 2, found " + found);
  }
}
`,
      "slipway/gates.yaml": `version: 1
profiles:
  default:
    modes:
      fast: [{ name: compile, cmd: [javac, -d, out, src/Sum.java, src/SumCheck.java] }]
      full: [{ name: compile, cmd: [javac, -d, out, src/Sum.java, src/SumCheck.java], produces: [out] }, { name: test, cmd: [java, -cp, out, SumCheck] }]
`,
    },
  },
  maven: {
    program: "mvn",
    source: "src/main/java/demo/Sum.java",
    right: "    return a + b;",
    wrong: "    return a - b;",
    caught: "expected: <2> but was: <0>",
    tests: 1,
    home: [".m2/repository"],
    needs: [
      plugin("maven-compiler-plugin", "3.13.0"),
      plugin("maven-resources-plugin", "3.3.1"),
      plugin("maven-surefire-plugin", "3.2.5"),
      maven("org/apache/maven/surefire/surefire-junit-platform/3.2.5/surefire-junit-platform-3.2.5.jar"),
      maven("org/junit/jupiter/junit-jupiter-engine/5.10.2/junit-jupiter-engine-5.10.2.jar"),
    ],
    files: {
      ".gitignore": "target/\n",
      "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>demo</groupId>
  <artifactId>demo</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version><scope>test</scope></dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin>
    </plugins>
  </build>
</project>
`,
      "src/main/java/demo/Sum.java": "package demo;\n\nclass Sum {\n  static int sum(int a, int b) {\n    return a + b;\n  }\n}\n",
      "src/test/java/demo/SumTest.java": `package demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;

class SumTest {
  @Test
  void oneAndOne() {
    assertEquals(2, Sum.sum(1, 1));
  }
}
`,
      "slipway/gates.yaml": `version: 1
profiles:
  default:
    modes:
      fast: [{ name: validate, cmd: [mvn, --offline, --batch-mode, "-Dmaven.repo.local=${maven()}", validate], env: &jvm { MAVEN_OPTS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" } }]
      full: [{ name: test, cmd: [mvn, --offline, --batch-mode, "-Dmaven.repo.local=${maven()}", -DforkCount=0, test], env: *jvm }]
parsers: { tests: { type: junit_xml, path: "target/surefire-reports/TEST-*.xml", modes: [full] } }
`,
    },
  },
  go: {
    program: "go",
    source: "sum.go",
    right: "\treturn a + b",
    wrong: "\treturn a - b",
    caught: "--- FAIL: TestSum",
    tests: null,
    files: {
      "go.mod": "module sum\n\ngo 1.19\n",
      "sum.go": "package sum\n\nfunc Sum(a, b int) int {\n\treturn a + b\n}\n",
      "sum_test.go": `package sum

import "testing"

func TestSum(t *testing.T) {
\tif Sum(1, 1) != 2 {
\t\tt.Fatal("one and one")
\t}
}
`,
      "slipway/gates.yaml": `version: 1
profiles:
  default:
    modes:
      fast: [{ name: format, cmd: [gofmt, -e, sum.go], env: &go { GOCACHE: /tmp/cache, GOPATH: /tmp/go, GOFLAGS: -mod=mod, CGO_ENABLED: "0" } }]
      full: [{ name: test, cmd: [go, test, ./...], env: *go }]
`,
    },
  },
};

/** What is missing on this machine; null if nothing is. */
export function missingFor({ program, needs = [] }: Fixture, find: (program: string) => string | null): string | null {
  if (find(program) === null) return `no ${program} on this machine`;
  const absent = needs.find((path) => !existsSync(path));
  return absent === undefined ? null : `${program} would have to download ${absent.split("/").at(-1)}, and gates have no network`;
}
