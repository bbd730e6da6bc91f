import { packageConfig } from "../vitest.shared.ts";

export default packageConfig("acceptance", {
  coverage: false,
  longest: ["kill/every-event-elsewhere", "kill/five-features", "kill/", "injection/", "false-done", "bad-input/"],
});
