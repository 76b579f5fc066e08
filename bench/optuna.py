# Proposes settings by one of Optuna's samplers, asked and told over a pipe.
# A line in, a line out, all JSON:
#   {"sampler": ..., "seed": ..., "reference": ..., "parameters": [...]}  begins a study
#   {"losses": [...] or null, "infeasible": ...}                          is what came of the last proposal
# Both are answered by {"setting": {...}, "cpu": seconds}, the next proposal and
# the CPU time that it took.
import json
import sys
import time
import warnings

import optuna

warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)


class Study:
    def __init__(self, begin):
        self.parameters = begin["parameters"]
        self.reference = begin["reference"]
        # The only way to tell Optuna a reference point: as constraints.
        self.told = self.reference is not None
        constraints = (lambda trial: trial.user_attrs["violations"]) if self.told else None
        samplers = {"tpe": optuna.samplers.TPESampler, "nsga2": optuna.samplers.NSGAIISampler}
        sampler = samplers[begin["sampler"]](seed=begin["seed"], constraints_func=constraints)
        self.study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        self.worst = self.reference

    def ask(self):
        start = time.process_time()
        self.trial = self.study.ask()
        setting = {p["name"]: self.suggest(p) for p in self.parameters}
        return {"setting": setting, "cpu": time.process_time() - start}

    def suggest(self, p):
        if p["kind"] == "choice":
            return self.trial.suggest_categorical(p["name"], p["values"])
        if p["kind"] == "int":
            return self.trial.suggest_int(p["name"], int(p["low"]), int(p["high"]), log=p["log"])
        return self.trial.suggest_float(p["name"], p["low"], p["high"], log=p["log"])

    def tell(self, outcome):
        losses = outcome["losses"]
        if losses is not None:
            self.worst = [max(pair) for pair in zip(losses, self.worst or losses)]
            self.violate([a - b for a, b in zip(losses, self.reference)] if self.told else None)
            self.study.tell(self.trial, losses)
            return
        self.violate([1e3, 1e3] if self.told else None)
        if outcome["infeasible"] and self.worst:
            # Optuna passes over trials without values, and goes on proposing what
            # fails: they get the worst seen.
            self.study.tell(self.trial, self.worst)
        else:
            self.study.tell(self.trial, state=optuna.trial.TrialState.FAIL)

    def violate(self, violations):
        self.trial.set_user_attr("violations", violations)


study = None
for line in sys.stdin:
    message = json.loads(line)
    if "sampler" in message:
        study = Study(message)
    else:
        study.tell(message)
    print(json.dumps(study.ask()), flush=True)
