import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ARTIFACT_TYPES, ID_PREFIXES, newArtifactId, newEnvelope, parseEnvelope, refOf, type NewArtifact } from "./envelope.ts";

const ASKED: NewArtifact = {
  artifact_type: "PROPOSAL",
  created_by: { role: "proposer", run_id: "run1" },
  context_pack_ref: "CP-0a1b2c3d",
};
const WHOLE = newEnvelope(ASKED, "PROP-0a1b2c3d", 0);

test("[FAC-103] a new one is a draft at 1.0.0, with all fields", () => {
  expect(WHOLE).toEqual({
    artifact_id: "PROP-0a1b2c3d",
    artifact_type: "PROPOSAL",
    version: "1.0.0",
    status: "DRAFT",
    created_at: "1970-01-01T00:00:00.000Z",
    created_by: { role: "proposer", run_id: "run1" },
    context_pack_ref: "CP-0a1b2c3d",
    inputs: [],
    outputs: [],
    notes: "",
  });
  expect(refOf(WHOLE)).toBe("PROP-0a1b2c3d@1.0.0");
});

describe("[FAC-095] an envelope", () => {
  const { notes: _, ...required } = WHOLE;

  test.each(Object.keys(required))("without %s is refused", (field) => {
    expect(() => parseEnvelope({ ...WHOLE, [field]: undefined })).toThrow(new RegExp(field));
  });

  test("may have the time of any zone", () => {
    const created_at = "2026-01-23T10:00:00+02:00";
    expect(parseEnvelope({ ...WHOLE, created_at }).created_at).toBe(created_at);
  });

  test("may omit its notes, and has no other fields", () => {
    expect(parseEnvelope(required).notes).toBe("");
    expect(() => parseEnvelope({ ...WHOLE, surprise: 1 })).toThrow(/surprise/);
  });

  test.each([
    ["created_at", "yesterday"],
    ["context_pack_ref", "0a1b2c3d"],
    ["created_by", { role: "", run_id: "run1" }],
    ["created_by", { role: "proposer" }],
    ["version", "1.0"],
    ["inputs", [{ ref: "PROP-0a1b2c3d", purpose: "no version" }]],
    ["outputs", [{ ref: "MM-x@1.0.0", purpose: "" }]],
    ["status", "DONE"],
    ["artifact_type", "PICTURE"],
    ["artifact_id", "CHAL-0a1b2c3d"],
  ])("with %s %j is refused", (field, value) => {
    expect(() => parseEnvelope({ ...WHOLE, [field]: value })).toThrow(/not valid, so nothing was stored/);
  });
});

test("[FAC-099] there are exactly 13 types of artifacts", () => {
  expect(ARTIFACT_TYPES.toSorted()).toEqual(
    [
      ["MICRO_PLAN", "CONTRACT", "IMPLEMENTATION", "PROPOSAL", "CHALLENGE", "ADJUDICATION", "SHIP_EVIDENCE"],
      ["ESCALATION", "CONTEXT_PACK", "INTERFACE_CHANGE_EXCEPTION", "REUSE_SEARCH_REPORT", "PRODUCT_SPEC", "EXAMPLES"],
    ]
      .flat()
      .toSorted(),
  );
});

describe("[FAC-100] an id", () => {
  test.each([
    ["MICRO_PLAN", "MP"],
    ["CONTRACT", "CTR"],
    ["IMPLEMENTATION", "IMPL"],
    ["PROPOSAL", "PROP"],
    ["CHALLENGE", "CHAL"],
    ["ADJUDICATION", "ADJ"],
    ["SHIP_EVIDENCE", "SHIP"],
    ["ESCALATION", "ESC"],
    ["CONTEXT_PACK", "CP"],
    ["INTERFACE_CHANGE_EXCEPTION", "ICE"],
    ["REUSE_SEARCH_REPORT", "RSR"],
    ["PRODUCT_SPEC", "SPEC"],
    ["EXAMPLES", "EX"],
  ] as const)("of a %s begins with %s", (artifact_type, prefix) => {
    expect(ID_PREFIXES[artifact_type]).toBe(prefix);
    const accepts = (artifact_id: string) => parseEnvelope({ ...WHOLE, artifact_type, artifact_id }).artifact_id === artifact_id;
    expect(accepts(`${prefix}-01234567`)).toBe(true);
    for (const wrong of ["0123456", "012345678", "0123456G", "0123456A", "e5f6g7h8"]) expect(() => accepts(`${prefix}-${wrong}`)).toThrow();
  });

  test("[FAC-101] is the beginning of a version 4 UUID, and differs each time", () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), fc.constantFrom(...ARTIFACT_TYPES), (uuid, type) => {
        expect(newArtifactId(type, () => uuid)).toBe(`${ID_PREFIXES[type]}-${uuid.slice(0, 8)}`);
      }),
    );
    const made = Array.from({ length: 200 }, () => newArtifactId("PROPOSAL"));
    expect(new Set(made).size).toBe(200);
    expect(made.filter((id) => !/^PROP-[0-9a-f]{8}$/.test(id))).toEqual([]);
  });
});
