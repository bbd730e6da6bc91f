import { openOurs } from "./our-tools.ts";
import { serve } from "./serve.ts";

serve(openOurs);
