import type { Reading } from "../telemetry/telemetry.types.ts";
import type { StepContext } from "./step.types.ts";
import { compileSteps, runSteps, toReading } from "./step-engine.ts";

/** Steps need to know little of the device here: no attributes are at hand. */
const contextOf = (deviceId: string): StepContext => ({
  deviceId,
  tenantId: "",
  profileId: "",
  attribute: () => undefined,
});

/**
 * Compiles steps for readers on other threads, which have telemetry alone: attributes and webhooks that steps make are left out.
 * @throws DomainError of kind `invalid` that names the step and what is wrong with it.
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
