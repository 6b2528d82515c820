import { readStored, writeStored } from "../../platform/preferences.ts";

/** State of a sign-up that waits for its code: enough to continue after a reload. It never has the password. */
interface SignUpStep {
  readonly email?: string;
  /** Life of the code. */
  readonly minutes?: number;
}

const KEY = "lineside.signUp";
const tab = () => sessionStorage;

export const keepSignUp = (step: SignUpStep): void => writeStored(KEY, JSON.stringify(step), tab);
export const forgetSignUp = (): void => writeStored(KEY, undefined, tab);

export function keptSignUp(): SignUpStep | undefined {
  const text = readStored(KEY, tab);
  if (!text) return undefined;
  try {
    const { email, minutes } = JSON.parse(text);
    return typeof email === "string" && typeof minutes === "number" ? { email, minutes } : undefined;
  } catch {
    return undefined;
  }
}
