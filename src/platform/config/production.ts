/**
 * Imported before anything else: Elysia decides when it is loaded whether its validation errors carry the whole value that failed, and only
 * does without it in production. The build's definition of `process.env.NODE_ENV` does not reach `Bun.env`, which it reads.
 */
Bun.env.NODE_ENV ??= "production";
