import type { ComponentChildren } from "preact";

/** Layout of a screen that is read from top to bottom. */
export const Page = ({ children }: { children: ComponentChildren }) => (
  <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">{children}</div>
);
