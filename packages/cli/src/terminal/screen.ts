import { createLogUpdate } from "log-update";
import { screenText } from "@slipway/protocols/surface/style";

/** Lines redrawn in place. The only output that moves the cursor; its text is escaped like all other. */
export interface Screen {
  draw(lines: readonly string[]): void;
  /** Prints above the drawing, permanently. */
  persist(lines: readonly string[]): void;
  /** Leaves the drawing on the screen. */
  done(): void;
}

export function openScreen(): Screen {
  const update = createLogUpdate(process.stdout, { showCursor: true });
  return {
    draw: (lines) => update(screenText(lines.join("\n"))),
    persist: (lines) => update.persist(screenText(lines.join("\n"))),
    done: () => update.done(),
  };
}
