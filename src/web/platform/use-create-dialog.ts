import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";

/** Returns whether the dialog that creates something is open. An address with `?create=1` opens it too. */
export function useCreateDialog(): { isOpen: boolean; open: () => void; close: () => void } {
  const { path, query, route } = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (query.create) setOpen(true);
  }, [query.create]);
  const close = () => {
    setOpen(false);
    const { create, ...others } = query;
    if (create === undefined) return;
    const rest = new URLSearchParams(others).toString();
    route(rest ? `${path}?${rest}` : path, true);
  };
  return { isOpen, open: () => setOpen(true), close };
}
