// Runs before the first paint, so that a chosen theme does not flash in the other one.
try {
  const chosen = localStorage.getItem("lineside.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = `lineside-${chosen}`;
} catch {
  // No storage: the system's theme it is.
}
