/** Signal on which a gateway stops and starts again in the same process. */
export const RESTART_SIGNAL = "SIGUSR2";
