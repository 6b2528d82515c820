import type { BunPlugin } from "bun";

/*
 * Packages that dependencies load and the program never uses. Executables have stubs in their place.
 *
 * The Kafka client checks its options by schemas, which costs 52 ms and 48 MB when it is loaded, and brings along a client of schema registries.
 * The uplink uses neither. Its compression reads a WASM file beside it, which is not there in an executable. The plug-in for the API document
 * has the themes of a page that loads its scripts from the internet, which the gateway does not serve.
 */

interface Unused {
  readonly packages: RegExp;
  readonly importer: RegExp;
  readonly stub: string;
}

const UNUSED: readonly Unused[] = [
  {
    packages: /^(ajv|ajv-draft-04|avsc)(\/.*)?$/,
    importer: /[/\\]@platformatic[/\\]kafka[/\\]/,
    // A validator that finds nothing wrong, as far as the client calls it while it is loaded.
    stub: `
export class Ajv {
  addKeyword() { return this; }
  addMetaSchema() { return this; }
  compile() { return () => true; }
  errorsText() { return ""; }
}
export { Ajv as Ajv2020 };
export default Ajv;
`,
  },
  {
    packages: /^@scalar\/themes$/,
    importer: /[/\\]@elysiajs[/\\]swagger[/\\]/,
    stub: `export const elysiajsTheme = "";`,
  },
];

export const unusedPackages: BunPlugin = {
  name: "unused-packages",
  setup(build) {
    for (const [index, { packages, importer: from, stub }] of UNUSED.entries()) {
      const namespace = `unused-${index}`;
      build.onResolve({ filter: packages }, ({ path, importer }) =>
        from.test(importer) ? { path, namespace } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace }, () => ({ contents: stub, loader: "js" }));
    }
    build.onResolve({ filter: /^@platformatic\/wasm-utils$/ }, ({ importer }) => ({
      path: Bun.resolveSync("@platformatic/wasm-utils/bundled", importer),
    }));
  },
};
