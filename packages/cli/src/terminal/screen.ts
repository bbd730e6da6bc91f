import { createLogUpdate } from "log-update";
import { screenText } from "@slipway/protocols/surface/style";

/** Lines that are drawn again in place. The only output that moves the cursor; what it shows is escaped like all other. */
export interface Screen {
  draw(lines: readonly string[]): void;
  /** Above what is drawn, for good. */
  persist(lines: readonly string[]): void;
  /** Leaves what was drawn. */
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
