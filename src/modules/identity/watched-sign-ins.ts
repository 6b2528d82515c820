import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { NextStep, SignIn } from "./provider/sign-in.ts";

/** Wraps a step of a sign-in, to see its request and its result or error. */
type Watch = <Request extends SignIn, Result>(
  step: (request: Request) => Promise<Result>,
) => (request: Request) => Promise<Result>;

/** Wraps every step at which the provider may refuse a sign-in. The password of a second step is not known; it is empty. */
export const watchedSignIns = (provider: IdentityProvider, watch: Watch): IdentityProvider => ({
  ...provider,
  begin: watch(provider.begin),
  signIn: watch(provider.signIn),
  enterSecondFactor(request: NextStep & { readonly code: string }) {
    const email = provider.emailOf(request.ticket);
    const enter = () => provider.enterSecondFactor(request);
    return email === undefined ? enter() : watch(enter)({ ...request, email, password: "" });
  },
});
