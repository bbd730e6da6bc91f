import fc from "fast-check";
import { expect, test } from "vitest";
import { requestSlug } from "./request-slug.ts";

test.each([
  ["Print fractions and shopping lists", "print-fractions-shopping-lists"],
  ["Please add a dark mode to the settings page of the app", "dark-mode-settings-page"],
  ["fix", "fix-requested"],
  ["Überschriften übersetzen!", "uberschriften-ubersetzen"],
  ["修复 bug", "bug-requested"],
  ["", "requested-change"],
  ["../../etc/passwd && rm -rf /", "etc-passwd-rm-rf"],
])("[CRW-025] the request %j is named %s", (request, slug) => expect(requestSlug(request)).toBe(slug));

test("[CRW-025] any request gets a kebab-case name of two to four words", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (request) => {
      expect(requestSlug(request)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+){1,3}$/);
    }),
  );
});
