// A short sound when it is one's turn; it can be off, and is where a browser allows none.

import { $, keep, kept } from "./api.js";

let context = null;

const on = () => kept("sound") !== "off";

export function chime() {
  if (!on()) return;
  try {
    context ??= new AudioContext();
    if (context.state !== "running") return; // until somebody has clicked something
    const [tone, loud] = [context.createOscillator(), context.createGain()];
    const now = context.currentTime;
    tone.frequency.value = 660;
    loud.gain.setValueAtTime(0.06, now);
    loud.gain.exponentialRampToValueAtTime(0.0001, now + 0.25);
    tone.connect(loud).connect(context.destination);
    tone.start(now);
    tone.stop(now + 0.25);
  } catch {
    // silence then
  }
}

const button = $("sound");
const show = () => button && (button.textContent = `Sound: ${on() ? "on" : "off"}`);
show();
button?.addEventListener("click", () => {
  keep("sound", on() ? "off" : null);
  show();
});
addEventListener("pointerdown", () => on() && (context ??= new AudioContext()).resume?.().catch(() => {}), { once: true });
