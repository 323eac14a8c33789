"""What Python adds to a step, per step: a loop in Python around single steps, and a run with a function that is told
of every step, each less what the same steps take within one call. Best of several repeats, in processor time.

    PYTHONPATH=build/release/python python3 bench/python_overhead.py
"""

import time

import stiffly

STEPS = 20_000


def microseconds(work, repeats: int = 7) -> float:
    """Of processor time for each step, the least of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return 1e6 * best / STEPS


def main() -> None:
    for particles in (2, 30):
        scene = stiffly.load_scene("chain", count=particles)
        system, start, h = scene.system, scene.start, 1e-6
        options = {"step": h, "integrator": "verlet"}

        def inside():
            stiffly.simulate(system, start, STEPS * h, **options)

        def told():
            stiffly.simulate(system, start, STEPS * h, callback=lambda state, summary: True, **options)

        def stepper():
            for _ in stiffly.Stepper(system, start, STEPS * h, **options):
                pass

        def integrator():
            method, state = stiffly.Integrator("verlet", system, start), start
            for _ in range(STEPS):
                state = method.step(state, h).state

        alone = microseconds(inside)
        print(f"{particles} particles, verlet: {alone:.2f} µs a step within one call")
        for name, work in (("function told of every step", told), ("loop over a Stepper", stepper),
                           ("loop over Integrator.step", integrator)):
            print(f"  {name:<30}{microseconds(work) - alone:+7.2f} µs")


if __name__ == "__main__":
    main()
