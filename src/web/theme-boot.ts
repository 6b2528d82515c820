// Runs before the first paint, so that a chosen theme does not flash in the other one.
try {
  const base = document.querySelector<HTMLMetaElement>('meta[name="lineside-base"]')?.content ?? "";
  const selected = localStorage.getItem(`lineside.theme${base}`);
  if (selected === "light" || selected === "dark")
    document.documentElement.dataset.theme = `lineside-${selected}`;
} catch {
  // Without storage, the system's theme applies.
}
