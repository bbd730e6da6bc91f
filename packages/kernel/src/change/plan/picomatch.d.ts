/** The part of picomatch 4 used here; the package has no types. */
declare module "picomatch" {
  interface Options {
    readonly dot?: boolean;
    readonly nocase?: boolean;
    readonly noextglob?: boolean;
    readonly noglobstar?: boolean;
    readonly nonegate?: boolean;
    readonly strictBrackets?: boolean;
  }
  export default function picomatch(glob: string, options?: Options): (text: string) => boolean;
}
