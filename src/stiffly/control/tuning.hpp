// Every number of step control and of the automatic choice that was tuned, with its reason. Measurements
// behind them: docs/auto.md (the automatic choice against the best method in hindsight) and tests/control.
#pragma once

#include <cstddef>

namespace stiffly::tuning {

// ---- step control ----
inline constexpr double safety = 0.85;       ///< of the step that would just meet the target
inline constexpr double shortest_cut = 0.2;  ///< by which one estimate may shorten a step
inline constexpr double longest_cut = 0.9;   ///< after a rejection the next step is shorter by this at least
inline constexpr double failure_cut = 0.25;  ///< after a step that gave no result
inline constexpr double worth_shortening = 0.9;              ///< changes of a step between these two …
inline constexpr double worth_growing = 1.25;                ///< … are not worth a new factor
inline constexpr double proportional = 0.7, integral = 0.4;  ///< exponents of PI control [Gustafsson 1991]
inline constexpr double energy_part = 0.1;     ///< of the tolerance: energy in motion that one step may gain
inline constexpr double hopeless_cut = 0.02;   ///< of a step, after which a loss of energy that …
inline constexpr double hopeless_share = 0.5;  ///< … is still this part of what it was is accepted
inline constexpr double added_errors = 10;     ///< times the tolerance: all steps together, where errors stay
inline constexpr double at_rest = 1e-9;        ///< of the extent: a first step that moves less says nothing
inline constexpr double nothing_moves = 1e-8;  ///< of the extent: errors of a body that stays at rest
inline constexpr double not_struck = 1e-6;     ///< of the way of obstacles: what moves less is at rest
inline constexpr double solver_part = 0.01;    ///< of what a step may miss, that its solvers may leave
inline constexpr double stability_margin =
    0.95;                                     ///< of the limit: the spectral radius is estimated from below
inline constexpr long radius_lifetime = 300;  ///< steps for which a spectral radius is believed
inline constexpr double drive_part = 0.1;     ///< of the range of a drive, that a step may not see of it
inline constexpr double still = 1e-9;         ///< of its size: a drive that changes less is at rest
inline constexpr double jump_step = 1e-6;     ///< of the run: a step that may pass over a jump
inline constexpr double blow_up = 3;          ///< times the energy in motion, gained by a closed system
inline constexpr double driven_growth =
    4;  ///< of the kinetic energy, from one look at a driven system to the next
inline constexpr double drive_slack =
    10;  ///< times what drives bring in at the power of the ends of that time
inline constexpr int unexplained_growth = 4;  ///< looks in turn, after which energy comes from the method

// ---- trials: what a method costs ----
inline constexpr double shortest_trial = 0.02;  ///< s; below, the clock says little
inline constexpr double close = 1.5;            ///< costs within this factor of the best may still win
inline constexpr double hopeless = 30;          ///< costs beyond this factor do not catch up by longer steps
inline constexpr double behind = 8;             ///< costs beyond this factor do not catch up within a trial
inline constexpr int fewest_steps = 4;          ///< that say something
inline constexpr double growth = 3;             ///< by which a step that is given up might have become longer
inline constexpr int growth_steps = 4;          ///< that a trial is given before it counts as hopeless
inline constexpr std::size_t most_kept = 40;    ///< steps of a trial that the run takes over: memory
inline constexpr double made_energy = 0.25;     ///< of all in motion, that shows a method to be unstable
inline constexpr double large_error = 0.5;      ///< of the motion, that makes a given step useless

// ---- trials: how long they may take ----
inline constexpr double investment = 0.07;  ///< of the time a decision is for, that all its trials may take
inline constexpr double step_share = 0.1 / 3;  ///< of it, that a single step may take
inline constexpr double long_share = 0.15;     ///< the same for one that promises to be worth it
inline constexpr double outlook = 15;          ///< s of computing for which a decision is made at least
inline constexpr double few_vibrations =
    10;                                 ///< explicit steps at their limit that other methods span at once
inline constexpr double promise = 2.5;  ///< by which costs fall at least while steps still grow

// ---- when to decide anew ----
inline constexpr double trial_share = 0.1;     ///< of a run's time that trials may take
inline constexpr double first_review = 6;      ///< s of computing, after which the choice is reviewed
inline constexpr double worth_a_change = 1.2;  ///< factor by which another method must be better
inline constexpr double same_cost = 1.25;      ///< factor within which costs in trials say nothing
inline constexpr double changed = 2;           ///< factor of the cost that makes a new decision worth while
inline constexpr double upheaval = 5;          ///< factor of the cost after which everything is tried again
inline constexpr double far = 10;          ///< factor beyond which a method is not tried again before that
inline constexpr double trust = 2.5;       ///< factor by which the trial of a damping method may mislead
inline constexpr double probation = 0.15;  ///< of the run by the best of the trials, that trust lasts for
inline constexpr long energy_look = 20;    ///< steps from one look at the energy to the next
inline constexpr long many_attempts = 6;   ///< at one step, after which the energy is looked at, too

}  // namespace stiffly::tuning
