/** Each line keeps the compiler busy for seconds. */
export const BOMB = [
  'type D = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";',
  "type N = `${D}${D}${D}${D}`;",
  "type Pairs<A, B, K> = A extends string ? (B extends string ? (`${A}${B}` extends `${B}${A}` ? [A, K] : never) : never) : never;",
  ...Array.from({ length: 200 }, (_, n) => `export const x${n}: Pairs<N, N, ${n}> = 1;`),
].join("\n");
