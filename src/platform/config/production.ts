/**
 * Must be imported first. When Elysia is loaded, it decides whether its validation errors contain the whole invalid value; in production, they do
 * not. It reads `Bun.env`, which the definition of `process.env.NODE_ENV` in the build does not set.
 */
Bun.env.NODE_ENV ??= "production";
