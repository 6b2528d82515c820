// Runs before the first paint, so that a chosen theme does not flash in the other one.
try {
  const selected = localStorage.getItem("lineside.theme");
  if (selected === "light" || selected === "dark")
    document.documentElement.dataset.theme = `lineside-${selected}`;
} catch {
  // No storage: the system's theme it is.
}
