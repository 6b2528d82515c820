import type { Reading } from "../telemetry/telemetry.types.ts";
import type { StepContext } from "./step.types.ts";
import { compileSteps, runSteps, toReading } from "./step-engine.ts";

/** Returns a minimal context, without attributes. */
const contextOf = (deviceId: string): StepContext => ({
  deviceId,
  tenantId: "",
  profileId: "",
  attribute: () => undefined,
});

/**
 * Compiles steps for readers on other threads, which only have telemetry: attributes and webhooks of steps are ignored.
 * @throws DomainError `invalid` that names the step and its error
 */
export function compileReadingSteps(
  steps: readonly unknown[],
): (deviceId: string, reading: Reading) => Reading | undefined {
  const compiled = compileSteps(steps);
  return (deviceId, reading) => {
    const message = runSteps(compiled, reading, { context: contextOf(deviceId), onFailure: () => undefined });
    return message && toReading(message);
  };
}
