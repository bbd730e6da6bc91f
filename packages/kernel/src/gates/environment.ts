/** What a step sees of the environment: the allowlisted variables of the host, then its own. Nothing else. */
export function stepEnvironment(
  hostEnv: Readonly<Record<string, string | undefined>>,
  allowlist: readonly string[],
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const allowed = allowlist.flatMap((name) => {
    const value = Object.hasOwn(hostEnv, name) ? hostEnv[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(allowed), ...own };
}
