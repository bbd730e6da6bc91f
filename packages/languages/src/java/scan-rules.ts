import type { ScanTable } from "../tree-sitter/scan.ts";

export const JAVA_SCAN: ScanTable = {
  importedNames: () => new Map(),
  rules: [
    { rule: "java-process", severity: "high", call: /(?:^|\.)(?:getRuntime\(\)\.exec|ProcessBuilder)$/, message: "starts a process" },
    {
      rule: "java-script",
      severity: "critical",
      call: /\b(?:ScriptEngineManager|getEngineByName)$|[eE]ngine\.eval$/,
      message: "runs text as code",
    },
    {
      rule: "java-deserialize",
      severity: "high",
      call: /(?:^|\.)(?:ObjectInputStream|XMLDecoder|readObject|readUnshared)$/,
      message: "reads data that can run code",
    },
    { rule: "java-native", severity: "high", call: /^System\.load(?:Library)?$/, message: "loads native code" },
    { rule: "java-reflection", severity: "medium", call: /(?:^Class\.forName|\.setAccessible)$/, message: "reaches code by name" },
    {
      rule: "java-network",
      severity: "medium",
      call: /(?:^|\.)(?:Socket|ServerSocket|openConnection|HttpClient\.newHttpClient)$/,
      message: "uses the network",
    },
    { rule: "java-exit", severity: "low", call: /^System\.exit$|getRuntime\(\)\.halt$/, message: "ends the process" },
  ],
};
