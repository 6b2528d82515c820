import { afterAll } from "bun:test";

/**
 * Preloaded: forgets the module of each test file once its tests have run. Workers run hundreds of files in one module registry, which would keep
 * what these modules hold (a whole gateway each) until the worker exits.
 */
afterAll(() => {
  delete require.cache[Bun.main];
});
