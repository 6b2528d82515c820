import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { addLeaveGuard } from "../../platform/leave-guard.ts";
import { DiscardQuestion, useTypedWork } from "./typed-work.tsx";

/** Returns the link within the console that a click follows. */
function linkOf(e: MouseEvent): HTMLAnchorElement | undefined {
  if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || !(e.target instanceof Element))
    return undefined;
  const link = e.target.closest<HTMLAnchorElement>("a[href]:not([target], [download])");
  return link !== null && link.origin === location.origin ? link : undefined;
}

/** Asks before the page is left with unsaved work, whichever way. Both functions are those of the first render. */
export function useLeaveQuestion(isUnsaved: () => boolean, discard: () => void) {
  const [leave, setLeave] = useState<{ run: () => void } | undefined>(undefined);
  useEffect(() => {
    const holdBack = (run: () => void) => {
      if (!isUnsaved()) return false;
      setLeave({ run });
      return true;
    };
    const onClick = (e: MouseEvent) => {
      const link = linkOf(e);
      if (link === undefined || !holdBack(() => link.click())) return;
      e.preventDefault();
      // Keeps other forms from asking simultaneously; they ask when the click is repeated.
      e.stopImmediatePropagation();
    };
    const onUnload = (e: BeforeUnloadEvent) => isUnsaved() && e.preventDefault();
    const removeGuard = addLeaveGuard(holdBack);
    window.addEventListener("click", onClick, true);
    window.addEventListener("beforeunload", onUnload);
    return () => {
      removeGuard();
      window.removeEventListener("click", onClick, true);
      window.removeEventListener("beforeunload", onUnload);
    };
  }, []);
  return (
    leave && (
      <DiscardQuestion
        onKeep={() => setLeave(undefined)}
        onDiscard={() => {
          discard();
          setLeave(undefined);
          leave.run();
        }}
      />
    )
  );
}

/** A form within a page of another form, which must not be left with unsaved input without a question. */
export function Guarded({ children }: { children: ComponentChildren }) {
  const ref = useRef<HTMLDivElement>(null);
  const { isUnsaved, discard, handlers } = useTypedWork(ref);
  const question = useLeaveQuestion(isUnsaved, discard);
  return (
    <div ref={ref} {...handlers}>
      {question}
      {children}
    </div>
  );
}
