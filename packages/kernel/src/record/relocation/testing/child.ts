import { layoutAt } from "../../../host/layout.ts";
import { relocate } from "../relocate.ts";

/** Moves the records of the repository and kills itself after the given number of steps. */
const [root = "", last = "0"] = process.argv.slice(2);
let steps = 0;
await relocate(layoutAt(root), {
  onDone() {
    if (++steps === Number(last)) process.kill(process.pid, "SIGKILL");
  },
});
process.stdout.write(String(steps));
