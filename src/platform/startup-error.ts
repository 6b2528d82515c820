/** A reason not to start that its reader can do something about: one human sentence, shown without a stack. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartupError";
  }
}

/**
 * Creates the error for a file of ours that cannot be opened. A sentence of our own stays as it is; words of SQLite get the file
 * and what to do.
 */
export function cannotOpen(file: string, reason: string): StartupError {
  if (reason.endsWith(".")) return new StartupError(reason);
  return new StartupError(
    `The telemetry file ${file} cannot be opened: ${reason}. Restore a copy of the data directory, or move this file away to start without its data.`,
  );
}
