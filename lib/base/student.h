/* student.h - quantiles of Student's t.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_BASE_STUDENT_H
#define GDC_BASE_STUDENT_H

/* The 97.5 % point for so many degrees of freedom (>= 1). */
double gdc_student_point(int degrees);

#endif
