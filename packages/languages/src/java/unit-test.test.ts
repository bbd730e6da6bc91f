import { expect, test } from "vitest";
import { generatedValueSuite } from "../testing/generated-values.ts";
import { javaAdapter } from "./adapter.ts";
import { javaWitness } from "./witness.ts";

const SOURCE = `package bank;

import java.util.*;

public class Money {
    /**
     * REQUIRES: a >= 12345
     * REQUIRES: c.stream().sorted().toList().equals(c)
     * ENSURES: result == c.size()
     * ENSURES: d implies d
     * INVARIANT: c.size() == old(c.size())
     */
    public int many(long a, String b, List<Integer> c, boolean d, double e, char f, Optional<Integer> g, Map<String, Long> h, Set<String> i, int[] j, Integer k, float l, short m, byte n) {
        if (a < 12345 || !c.stream().sorted().toList().equals(c)) throw new IllegalArgumentException("refused");
        return c.size();
    }

    /**
     * REQUIRES: s.equals("a") || s.equals("b")
     * ENSURES: s.length() == 1
     */
    public static void nothing(String s) {
        if (!s.equals("a") && !s.equals("b")) throw new IllegalArgumentException("refused");
    }

    /** ENSURES: result >= 0.5 || e < 0.5 */
    static double same(double e) {
        return e;
    }

    /** ENSURES: result == n */
    private static int hidden(int n) {
        return n;
    }

    /** ENSURES: result == 1 */
    static int odd(Runnable n) {
        return hidden(1);
    }

    static class Account {
        Account(int balance) {}

        /** ENSURES: result == n */
        int method(int n) {
            return n;
        }
    }
}
`;
const tree = { "src/bank/Money.java": SOURCE };
const path = "src/bank/Money.java";

generatedValueSuite(
  javaAdapter,
  ["javac"],
  [
    { title: "of every supported type, for a method of a class that needs no argument", tree, path, name: "Money.many", passes: 5 },
    { title: "for a method without a result", tree, path, name: "Money.nothing", passes: 2 },
    { title: "of numbers beside those of the contract", tree, path, name: "Money.same", passes: 1 },
    { title: "not for a private method", tree, path, name: "Money.hidden", passes: null },
    { title: "not of a functional type", tree, path, name: "Money.odd", passes: null },
    { title: "not for a class that cannot be made without arguments", tree, path, name: "Money.Account.method", passes: null },
  ],
);

test("a witness keeps its type parameters and bounds", () => {
  const made = javaWitness({
    name: "SortedList",
    description: "A sorted list",
    base: { generic: true, type_params: [{ name: "T", bounds: ["Comparable<T>"] }], inner_type: "List<T>" },
    invariants: [],
    constructors: [{ name: "from_sorted", trust_level: "safe" }],
  });
  expect(made.text).toContain("public record SortedList<T extends Comparable<T>>(List<T> value)");
  expect(made.text).toContain("public static <T extends Comparable<T>> SortedList<T> fromSorted(List<T> value)");
});
