// The front page of drafts: the live one, and a new room for a mock draft.

import { $, call, held, hold } from "./api.js";

const live = $("live");
const key = live.getAttribute("href").split("/").pop();
const mine = Object.values(held()[key]?.seats ?? {})[0];
if (mine) live.setAttribute("href", `/room/${key}#${mine}`);

for (const choice of document.querySelectorAll(".seat-choice")) {
  if (!choice.querySelector("[selected]")) choice.selectedIndex = 1; // a bot
}

$("mock").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("problem").textContent = "";
  const seats = [...document.querySelectorAll(".seat-choice")].map((choice) => choice.value);
  try {
    const made = await call("/api/rooms", { body: { seats } });
    hold(made.room, { title: "a mock draft" }, 0, made.token);
    location.href = `/room/${made.room}#${made.token}`;
  } catch (error) {
    $("problem").textContent = error.message;
  }
});
