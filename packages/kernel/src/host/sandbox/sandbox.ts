import { SlipwayError } from "../../schema/errors.ts";
import { runInBubblewrap } from "./bubblewrap.ts";
import type { Limits, Sandbox } from "./contract.ts";
import { hiddenPlaces, type HiddenPlaces } from "./hidden-places.ts";
import { probeSandbox, type SandboxProbe } from "./probe.ts";

export interface SandboxOptions {
  readonly limits?: Partial<Limits>;
  /** Where to look for bubblewrap; by default the system's folders. */
  readonly searchPath?: string;
  /** What no command may see; by default of the environment of this process. */
  readonly hidden?: HiddenPlaces;
}

/** Opens a sandbox that has passed all escape probes; otherwise throws `sandbox_unavailable`. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const probe = await probeSandbox(options.searchPath);
  const { host, layers, missing } = probe;
  if (!probe.available || host === null) throw unavailable(probe);
  const rules = { hidden: options.hidden ?? hiddenPlaces(process.env), limits: options.limits ?? {} };
  return {
    kind: "bubblewrap",
    layers,
    controlGroups: host.groupPlaces.length > 0,
    missing: missing.map(({ name }) => name),
    run: (request) => runInBubblewrap(request, host, rules),
  };
}

function unavailable({ probes }: SandboxProbe): SlipwayError {
  const failed = probes.filter(({ passed }) => !passed);
  const reasons = failed.map(({ name, detail }) => `${name}: ${detail}`).join("; ");
  return new SlipwayError("sandbox_unavailable", `Gates need a sandbox, and none works on this machine (${reasons}).`, {
    probes: failed,
    suggested_next_actions: [
      "Install bubblewrap: `apt-get install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`.",
      "If it is installed and namespaces are refused: `sysctl -w kernel.unprivileged_userns_clone=1`, or on Ubuntu `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`; in a container, allow user namespaces.",
      "As root: run Slipway as an ordinary user, or on Linux 5.19 or newer with the repository on a file system that supports idmapped mounts, such as ext4, xfs or btrfs.",
      "Run `slipway doctor` to see every probe.",
      "Or allow this one run without a sandbox: `--allow-unsandboxed <reason>`; it is recorded with your name.",
    ],
  });
}
