/* Runs before the page is drawn: on to the report, with the fragment that was asked for. */
location.replace(document.currentScript.dataset.target + location.hash);
