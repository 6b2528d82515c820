import type { BunPlugin } from "bun";

/*
 * Packages that dependencies load and the program never uses. Executables have stubs in their place, and so has the thread of OPC UA.
 *
 * The Kafka client checks its options by schemas, which costs 52 ms and 48 MB when it is loaded, and brings along a client of schema registries.
 * The uplink uses neither. Its compression reads a WASM file beside it, which is not there in an executable. The plug-in for the API document
 * has the themes of a page that loads its scripts from the internet, which the gateway does not serve. The client of OPC UA reads keys of SSH,
 * finds servers by multicast and watches its store of keys; without these and the texts of the other threads, it takes 4 MB less.
 */

interface Unused {
  readonly packages: RegExp;
  readonly importer: RegExp;
  readonly stub: string;
}

const IN_PROGRAM: readonly Unused[] = [
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

const IN_OPCUA: readonly Unused[] = [
  { packages: /^sshpk$/, importer: /[/\\]node-opcua-crypto[/\\]/, stub: "export default {};" },
  { packages: /^chokidar$/, importer: /[/\\]node-opcua-pki[/\\]/, stub: "export default {};" },
  {
    packages: /^sterfive-bonjour-service$/,
    importer: /[/\\]node-opcua-service-discovery[/\\]/,
    stub: "export class Bonjour {}",
  },
  // Errors leave the thread with their codes.
  { packages: /^\.\/server\.(de|en)\.json$/, importer: /[/\\]texts[/\\]/, stub: "export default {};" },
];

function stubAll(build: Bun.PluginBuilder, name: string, unused: readonly Unused[]): void {
  for (const [index, { packages, importer: from, stub }] of unused.entries()) {
    const namespace = `${name}-${index}`;
    build.onResolve({ filter: packages }, ({ path, importer }) =>
      from.test(importer) ? { path, namespace } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace }, () => ({ contents: stub, loader: "js" }));
  }
}

export const unusedInOpcUa: BunPlugin = {
  name: "unused-in-opcua",
  setup: (build) => stubAll(build, "unused-in-opcua", IN_OPCUA),
};

export const unusedPackages: BunPlugin = {
  name: "unused-packages",
  setup(build) {
    stubAll(build, "unused", IN_PROGRAM);
    build.onResolve({ filter: /^@platformatic\/wasm-utils$/ }, ({ importer }) => ({
      path: Bun.resolveSync("@platformatic/wasm-utils/bundled", importer),
    }));
  },
};
