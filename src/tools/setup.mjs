/**
 * `npm start` and `npm test` on a machine with Node and npm only. This file has to load in every version of Node, so that one that is too old is
 * refused with what to do; `bootstrap.mjs` does the work.
 */
const NODE_MIN = 18;

if (Number(process.versions.node.split(".")[0]) < NODE_MIN) {
  console.error(
    `Lineside needs Node ${NODE_MIN} or newer, and this is Node ${process.versions.node}. Install a newer one, or use the executable, which needs no Node.`,
  );
  process.exit(1);
}
import("./bootstrap.mjs").catch((error) => {
  console.error(error);
  process.exit(1);
});
