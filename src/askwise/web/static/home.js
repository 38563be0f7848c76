// @ts-check
// The home page of an owner: the studies, a form for a new one, and who has access.

import "./studies.js";
import "./new_study.js";
import "./owners.js";
