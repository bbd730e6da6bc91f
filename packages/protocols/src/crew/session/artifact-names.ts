const SLUG = "[a-z0-9]+(?:-[a-z0-9]+)*";

/** Names of artifacts in the folder of a session. */
export const DESIGN_SPEC_NAME = new RegExp(`^design-specs/design-spec-${SLUG}\\.md$`);
export const RESEARCH_NAME = new RegExp(`^research/research-${SLUG}\\.md$`);
export const ADR_NAME = /^adr\/ADR-[0-9]{3}\.md$/;
