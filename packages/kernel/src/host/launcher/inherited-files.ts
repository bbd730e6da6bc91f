import { openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;

/** Descriptors that Node inherited from its parent. Unlike Node's own, they are not close-on-exec. */
export function inheritedDescriptors(): number[] {
  return listed()
    .filter((descriptor) => descriptor > 2)
    .filter((descriptor) => {
      const flags = flagsOf(descriptor);
      return flags !== null && (flags & CLOSE_ON_EXEC) === 0 && !isNothing(descriptor);
    });
}

let known: readonly number[] | null = null;

/** Beyond stdin, stdout and stderr, "ignore" keeps an inherited descriptor; only another one in its place replaces it. */
export function coverInherited<T>(stdio: readonly T[], opened: number[]): (T | "ignore" | number)[] {
  known ??= inheritedDescriptors();
  const covered: (T | "ignore" | number)[] = [...stdio];
  const bare = known.filter((descriptor) => descriptor >= stdio.length);
  if (bare.length === 0) return covered;
  const nothing = openSync("/dev/null", "r");
  opened.push(nothing);
  for (const descriptor of bare) {
    while (covered.length <= descriptor) covered.push("ignore");
    covered[descriptor] = nothing;
  }
  return covered;
}

function listed(): number[] {
  try {
    return readdirSync("/proc/self/fdinfo").map(Number);
  } catch {
    return [];
  }
}

/** A descriptor that our parent already covered needs no cover; above the limit of open files none is possible. */
function isNothing(descriptor: number): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`) === "/dev/null";
  } catch {
    return false;
  }
}

/** Null if the descriptor is closed. */
function flagsOf(descriptor: number): number | null {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags === undefined ? null : Number.parseInt(flags, 8);
  } catch {
    return null;
  }
}
